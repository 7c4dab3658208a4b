"""The use cases of a memory, one file each. A service reads once, decides in the core, and writes once."""
