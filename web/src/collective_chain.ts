// The chain of waits, backwards from the rank that received last.
import type { Message } from './api';
import { inOrder } from './nodes';

export interface Whole { sender: string; receiver: string; bytes: number; direction: string; sent: number; arrived: number; awaited: number; received: number }

export const isWhole = (m: Message): m is Whole => m.sender !== null && m.receiver !== null && m.sent !== null && m.arrived !== null && m.awaited !== null && m.received !== null;

// For each message of the chain the receiver waited, and its sender sent it after the previous message. First to last.
export function criticalChain(messages: Whole[]): Whole[] {
  const waited = new Map<string, Whole[]>();
  for (const message of messages) {
    if (message.arrived <= message.awaited) continue;
    const list = waited.get(message.receiver);
    if (list) list.push(message);
    else waited.set(message.receiver, [message]);
  }
  for (const list of waited.values()) list.sort((a, b) => a.received - b.received);
  const chain: Whole[] = [];
  let now = [...waited.values()].map((list) => list[list.length - 1]).reduce<Whole | undefined>((last, one) => (last && last.received >= one.received ? last : one), undefined);
  while (now) {
    chain.unshift(now);
    const sent: number = now.sent, before = waited.get(now.sender) ?? [];
    // The last message received before; times decrease, so that the loop ends.
    let low = 0, high = before.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before[middle].received <= sent) low = middle + 1;
      else high = middle;
    }
    const next: Whole | undefined = before[low - 1];
    now = next && next.received < now.received ? next : undefined;
  }
  return chain;
}

export const ranksOf = (messages: Whole[]): string[] => [...new Set(messages.flatMap((m) => [m.sender, m.receiver]))].sort(inOrder);
