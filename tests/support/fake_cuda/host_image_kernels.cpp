namespace hotpack::test {}
