"""docaudit as tools for an assistant, over the Model Context Protocol (extra `mcp`).

server -> tools -> running | replies | asked: only server and tools know the SDK's server.
"""
