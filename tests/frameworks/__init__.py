"""Teams of other frameworks with their real libraries, each in an environment of its own: they exclude each other."""
