"""Reports: what Korba knows of a mechanism as plain data, and its two printers, page and paper."""
