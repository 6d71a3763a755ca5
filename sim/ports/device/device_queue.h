/* The registers of a kb::Device and what its command queue holds, for drivers in C. Everything is little-endian.
 *
 * A driver puts descriptors into a ring of QUEUE_SIZE entries at QUEUE_BASE, then writes how many it has produced since
 * reset to DOORBELL. The device fetches them in order by DMA, begins them in order, and counts the ended ones in
 * DONE_COUNT. Addresses of the queue, of arguments and of shards are host memory when the device's socket host_memory
 * is bound, else physical addresses of the device. The guide is docs/guides/embedding.md. */
#ifndef KERNBENCH_DEVICE_QUEUE_H
#define KERNBENCH_DEVICE_QUEUE_H

#include <stdint.h>

/* Registers: 32 bits each, offsets in bytes. RO: writing is a command error. */
#define KB_REG_ID 0x00         /* RO: KB_ID_VALUE */
#define KB_REG_VERSION 0x04    /* RO: KB_QUEUE_VERSION */
#define KB_REG_QUEUE_BASE 0x08 /* address of the ring, low half; the high half follows at 0x0c */
#define KB_REG_QUEUE_BASE_HIGH 0x0c
#define KB_REG_QUEUE_SIZE 0x10 /* entries of the ring */
#define KB_REG_DOORBELL 0x14   /* descriptors produced since reset */
#define KB_REG_DONE_COUNT 0x18 /* RO: descriptors ended since reset, failed ones included */
#define KB_REG_STATUS 0x1c     /* RO: KB_STATUS_... */
#define KB_REG_ERROR 0x20      /* KB_ERROR_... of the first failure; writing any value clears it */
#define KB_REG_IRQ_STATUS 0x24 /* KB_IRQ_... of line 0; writing ones clears them */
#define KB_REG_IRQ_MASK 0x28   /* ones let the interrupt through */
#define KB_REG_IRQ_LINES 0x2c  /* RO: interrupt lines */
#define KB_REG_IRQ_STATUS_OF(line) ((line) == 0 ? KB_REG_IRQ_STATUS : 0x28u + 8u * (line)) /* 0x30, 0x38, ... */
#define KB_REG_IRQ_MASK_OF(line) (KB_REG_IRQ_STATUS_OF(line) + 4u)
#define KB_MAX_IRQ_LINES 32u

#define KB_ID_VALUE 0x3055504bu /* "KPU0" */
#define KB_QUEUE_VERSION 2u     /* 1: one interrupt line, and no irq_line in a descriptor */

#define KB_STATUS_BUSY 1u  /* a descriptor is open */
#define KB_STATUS_ERROR 2u /* KB_REG_ERROR is not 0 */
#define KB_IRQ_DONE 1u     /* a descriptor with KB_FLAG_INTERRUPT has ended */
#define KB_IRQ_ERROR 2u    /* a descriptor has failed */

#define KB_ERROR_NONE 0u
#define KB_ERROR_DESCRIPTOR 1u  /* unknown operation, or a queue of no entries */
#define KB_ERROR_KERNEL 2u      /* no kernel has this hash */
#define KB_ERROR_ARGUMENT 3u    /* count, kind or shape of an argument */
#define KB_ERROR_ADDRESS 4u     /* not in the device's memory */
#define KB_ERROR_HOST_MEMORY 5u /* host memory answered with an error */
#define KB_ERROR_FAILED 6u      /* the launch has failed */

/* Operations. */
#define KB_OP_LAUNCH 1u
#define KB_OP_COPY_TO_DEVICE 2u
#define KB_OP_COPY_TO_HOST 3u
#define KB_OP_FENCE 4u /* the descriptors behind it begin when those before it have ended */

#define KB_FLAG_INTERRUPT 1u

/* 128 bytes. */
struct kb_descriptor {
  uint32_t op;
  uint32_t flags;
  uint64_t kernel;      /* launch: kb_kernel_hash() of its name */
  uint64_t args;        /* launch: address of arg_count kb_arg */
  uint32_t arg_count;   /* one for each parameter, in their order; optional ones at the end may be left out */
  uint32_t sip;         /* launch */
  uint64_t cubes;       /* launch: a bit per cube */
  uint64_t pes;         /* launch: a bit per PE of a cube */
  uint64_t host;        /* copy: address in host memory */
  uint64_t device;      /* copy: physical address */
  uint64_t bytes;       /* copy */
  uint32_t irq_line;    /* interrupt line that KB_FLAG_INTERRUPT, or a failure, raises */
  uint32_t reserved0;   /* 0 */
  uint64_t reserved[6]; /* 0 */
};

/* Kinds of arguments. */
#define KB_ARG_NONE 0u /* an optional argument that is left out */
#define KB_ARG_TENSOR 1u
#define KB_ARG_INTEGER 2u /* value: two's complement */
#define KB_ARG_REAL 3u    /* value: IEEE double */

/* 64 bytes. */
struct kb_arg {
  uint32_t kind;
  uint32_t dtype; /* tensor: 0 f16, 1 bf16, 2 f32, 3 i8, 4 i16, 5 i32, 6 i64 */
  uint64_t value; /* tensor of one shard: its physical address */
  uint64_t rows;  /* of the whole tensor */
  uint64_t cols;
  uint64_t shards;      /* address of shard_count kb_shard */
  uint32_t shard_count; /* 0: the whole tensor is one shard at `value` */
  uint32_t reserved;
  uint64_t shard_rows; /* of each shard */
  uint64_t shard_cols;
};

/* 32 bytes. */
struct kb_shard {
  uint64_t pa;
  uint64_t bytes;
  uint64_t offset; /* of its first byte among the bytes of all shards, in their order */
  uint64_t reserved;
};

/* FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
static inline uint64_t kb_kernel_hash(const char* name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name != 0; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return hash;
}

#endif
