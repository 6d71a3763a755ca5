// Compiled beside the headers that all libraries share (kb_common_headers).
