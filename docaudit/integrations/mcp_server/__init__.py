"""docaudit as tools for an assistant, over the Model Context Protocol (extra `mcp`).

server -> tools -> running | replies | asked, and server -> transport -> messages: each message is looked at before the
SDK parses it, and refused in the words of refusals.
"""
