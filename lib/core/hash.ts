import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import type { Json } from './json.ts';

/** SHA-256 as 64 lower-case hexadecimal digits. */
export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Canonical JSON (RFC 8785): the same bytes for equal values, whatever the order of their keys. */
export function canonicalJson(value: Json): string {
  return canonicalize(value);
}

/** SHA-256 over the canonical JSON of a value. */
export function hashJson(value: Json): string {
  return sha256(canonicalJson(value));
}
