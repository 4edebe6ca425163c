"""Who explored what: private, local."""
