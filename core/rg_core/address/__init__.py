"""Tool calls, prompts and arguments -> Addresses. Pure: nothing here opens a file or starts a process."""
