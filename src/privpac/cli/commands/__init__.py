"""The commands, each in a file of its own; a function, or a group of functions, has the name of the command."""
