//! Records and events to terminal output; never touches a server.
