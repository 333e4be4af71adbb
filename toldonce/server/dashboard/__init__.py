"""The dashboard: pages for people over the REST API, without logic of their own."""
