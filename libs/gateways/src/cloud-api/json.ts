import { isUtf8 } from 'node:buffer';
import { isObject } from '@signalbox/domain/is-object';

export type JsonObject = Record<string, unknown>;

/** Parses a body; undefined unless it is a JSON object in UTF-8. */
export function parseObject(body: Buffer): JsonObject | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    return asObject(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns the entries of a list: none for a missing member, one unreadable entry for a member that is no list. */
export function listOf(member: unknown): unknown[] {
  if (member === undefined || member === null) return [];
  return Array.isArray(member) ? member : [member];
}

/** Returns a text that is not empty; undefined for other values. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns an id, which the API writes as text or as a number. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOf(value);
}

/** Returns a whole number, written as one or as digits. */
export function wholeOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the time of an event, in seconds since 1970; the current time when it has none. */
export function instantOf(value: unknown): Date {
  const seconds = wholeOf(value);
  const at = new Date(seconds === undefined ? Number.NaN : seconds * 1_000);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
