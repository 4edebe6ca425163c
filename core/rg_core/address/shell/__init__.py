"""A command line -> the simple commands that a shell would run; nothing is run."""
