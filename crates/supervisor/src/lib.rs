//! Serves AF_ALG and `/dev/crypto` to a program of any kind, from outside.
