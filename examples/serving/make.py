#!/usr/bin/env python3
"""Writes the profile and the trace of this folder: an invented card of 1 TB/s and 160 TFLOP/s, and invented requests.

A kernel takes 2 us and the longer of its bytes and its arithmetic. Standard library only; the numbers are the same on
every computer."""
import json
import math
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
BYTES_PER_US, FLOP_PER_US, START_US = 1e6, 160e6, 2.0
HIDDEN, INNER, HEADS, KV_HEADS, HEAD_DIM, VOCABULARY = 4096, 14336, 32, 8, 128, 128256


def kernel_us(bytes_moved, flop):
    return START_US + max(bytes_moved / BYTES_PER_US, flop / FLOP_PER_US)


def product_us(tokens, rows, columns):
    return kernel_us(2 * (rows * columns + tokens * (rows + columns)), 2 * tokens * rows * columns)


def attention_us(chunk, past, decodes, context):
    """All prefills and decodes of a step in one kernel."""
    cache = 2 * 2 * KV_HEADS * HEAD_DIM
    pairs = chunk * (past + chunk / 2) + decodes * context
    return kernel_us(cache * (past + chunk + decodes * context), 4 * pairs * HEADS * HEAD_DIM)


def write(name, header, rows):
    with open(os.path.join(HERE, 'card', name), 'w') as file:
        file.write(header + '\n')
        for row in rows:
            file.write(','.join(str(cell) for cell in row[:-1]) + ',%.3f\n' % row[-1])


def profile():
    qkv = (HEADS + 2 * KV_HEADS) * HEAD_DIM
    dense = {
        'act_fn': lambda t: kernel_us(2 * 3 * t * INNER, 0),
        'down_proj': lambda t: product_us(t, INNER, HIDDEN),
        'embedding': lambda t: kernel_us(4 * t * HIDDEN, 0),
        'final_layernorm': lambda t: kernel_us(4 * t * HIDDEN, 0),
        'gate_up_proj': lambda t: product_us(t, HIDDEN, 2 * INNER),
        'layernorm': lambda t: kernel_us(8 * t * HIDDEN, 0),
        'o_proj': lambda t: product_us(t, HEADS * HEAD_DIM, HIDDEN),
        'qkv_proj': lambda t: product_us(t, HIDDEN, qkv),
        'rotary_emb': lambda t: kernel_us(4 * t * qkv, 0),
    }
    tokens = (1, 8, 32, 128, 160, 192, 256, 512, 1024, 2048)
    write('tp1/dense.csv', 'layer,tokens,time_us', [(k, t, f(t)) for k, f in dense.items() for t in tokens])
    sequences = {'lm_head': lambda n: product_us(n, HIDDEN, VOCABULARY), 'sampler': lambda n: kernel_us(8 * n * VOCABULARY, 0)}
    write('tp1/per_sequence.csv', 'layer,sequences,time_us',
          [(k, n, f(n)) for k, f in sequences.items() for n in (1, 8, 32, 128, 256)])
    rows = []
    for chunk in (0, 16, 128, 512, 1024, 2048):
        for past in (0, 512, 4096) if chunk else (0,):
            for decodes in (0, 1, 8, 32, 64, 128):
                for context in (16, 512, 4096) if decodes else (0,):
                    if chunk + decodes:
                        rows.append((chunk, past, decodes, context, attention_us(chunk, past, decodes, context)))
    write('tp1/attention.csv', 'prefill_chunk,kv_prefill,n_decode,kv_decode,time_us', rows)


def trace():
    draw = random.Random(38)
    now, next_id = 0.0, 100
    with open(os.path.join(HERE, 'trace.jsonl'), 'w') as file:
        for _ in range(160):
            now += -0.25e9 * math.log(1.0 - draw.random())
            own = int(min(3000, 100 + 500 * draw.paretovariate(2) - 500))
            assistant = draw.random() < 0.6  # begins with the same 512 tokens as the others of its kind
            ids = list(range(1, 33)) if assistant else []
            tokens = own + 16 * len(ids)
            while len(ids) < tokens // 16:
                ids.append(next_id)
                next_id += 1
            file.write(json.dumps({'input_toks': tokens, 'output_toks': int(draw.uniform(50, 400)),
                                   'arrival_time_ns': int(now), 'block_ids': ids}, separators=(',', ':')) + '\n')


if __name__ == '__main__':
    profile()
    trace()
