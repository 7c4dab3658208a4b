"""The pure rules of graphmem: values in, values out. No clock, randomness, logging, environment or I/O."""
