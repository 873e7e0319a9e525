"""What the library promises, as claims that an audit can try to refute on small universes."""
