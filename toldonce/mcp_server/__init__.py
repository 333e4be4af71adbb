"""Memory as tools of the Model Context Protocol (MCP): five tools, a resource and a prompt. Loads the SDK when used."""
