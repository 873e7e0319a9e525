"""Classes whose concepts are the nodes of a tree: paths of text, prefixes and suffixes, taxonomies, and spiders."""
