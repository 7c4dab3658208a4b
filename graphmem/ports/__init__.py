"""What graphmem needs from outside, as Protocols without logic."""
