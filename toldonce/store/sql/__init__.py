"""Work on a connection that every SQL database does alike."""
