"""The doors of a memory. Each gives the same verbs in its own way, and none knows another."""
