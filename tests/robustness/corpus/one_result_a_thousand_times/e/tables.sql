CREATE TABLE rate AS SELECT cycles, time_ns, word FROM runs, words;
