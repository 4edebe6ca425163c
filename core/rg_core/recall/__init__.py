"""Recall: everything memory holds, found by what it says, what it is tied to and when it was true."""
