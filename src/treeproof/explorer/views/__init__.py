"""What is seen: one file for each part of the page, all thin.

A view shows what its session says and turns clicks into calls of it. Every view has a
`refresh`, called a few times a second; it does something only if what it shows has
changed.
"""
