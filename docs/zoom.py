"""Makes every picture of a page a link to itself, where it can be seen at full size."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util.osutil import relative_uri


def _link_pictures(app: Any, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html":
        return
    for picture in list(doctree.findall(nodes.image)):
        known = app.env.images.get(picture["uri"])
        if known is None or isinstance(picture.parent, nodes.reference):
            continue
        file = f"{app.builder.imagedir}/{known[1]}"
        link = nodes.reference(
            refuri=relative_uri(app.builder.get_target_uri(docname), file),
            reftitle="The picture at full size",
            classes=["zoom"],
        )
        picture.replace_self(link)
        link += picture


def setup(app: Any) -> dict[str, bool]:
    """Connect the above."""
    app.connect("doctree-resolved", _link_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
