"""What every relational store does alike: statements, rows, work on a connection. Each database adds its own."""
