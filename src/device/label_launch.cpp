namespace hotpack::device {}
