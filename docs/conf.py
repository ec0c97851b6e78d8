"""Sphinx configuration of the documentation; `make docs` builds it."""

import re
import sys
import warnings
from pathlib import Path

import treeproof

sys.path.insert(0, str(Path(__file__).parent))
from api_pages import write_api_pages
from stale import clear_gallery, clear_pages

project = "treeproof"
author = "The treeproof developers"
copyright = "2026, the treeproof developers"
version = release = treeproof.__version__

extensions = [
    "myst_parser",
    "native_math",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "zoom",
]

exclude_patterns = ["_templates", "**sg_execution_times.rst"]
templates_path = ["_templates"]
smartquotes_action = "qe"  # quotes and dots; two dashes begin an option
default_role = "literal"  # single backticks in docstrings

# Markdown pages
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

# API reference: one page for each public name, listed by the modules' __all__
autosummary_generate = write_api_pages(Path(__file__).parent / "api")
autosummary_imported_members = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_default_options = {"members": False}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

# Gallery
clear_gallery(
    Path(__file__).parent / "gallery",
    Path(__file__).parents[1] / "examples" / "gallery",
)
sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "plot_gallery": True,
    "capture_repr": (),
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 5,
}

html_theme = "pydata_sphinx_theme"
html_title = "treeproof"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "light"}

warnings.filterwarnings("ignore", message=".*non-GUI.*|.*non-interactive.*")


def _skip_strangers(app, what, name, obj, skip, options):
    """Leave out what a class inherits from other libraries; they document it."""
    place = getattr(getattr(obj, "fget", obj), "__module__", None) or "treeproof"
    strange = not place.startswith("treeproof") or name.endswith("_request")
    return True if strange else skip


def _hide_private(app, what, name, obj, options, signature, returns):
    """Leave out of a signature what only the library passes."""
    if signature is not None:
        signature = re.sub(r",\s*_\w+(=[^,)]*)?(?=[,)])", "", signature)
    return signature, returns


def setup(app):
    """Connect the above."""
    app.connect("autodoc-skip-member", _skip_strangers)
    app.connect("autodoc-process-signature", _hide_private)
    app.connect("build-finished", clear_pages)
