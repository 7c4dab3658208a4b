"""One outside thing each, behind a port. Adapters import ports and core, and never one another."""
