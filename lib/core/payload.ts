import type { Ref } from './event-parts.ts';
import type { Event } from './events.ts';
import type { Json } from './json.ts';

/** A value of a user, or where it lies. */
export type Payload = { readonly value: Json } | { readonly ref: Ref };

/** The payload of a field that an event carries as `<field>` or as `<field>Ref`; undefined where it has neither. */
export function payloadOf<F extends string>(
  holder: { readonly [K in F | `${F}Ref`]?: unknown },
  field: F,
): Payload | undefined {
  const ref = holder[`${field}Ref`] as Ref | undefined;
  if (ref) return { ref };
  const value = holder[field] as Json | undefined;
  return value === undefined ? undefined : { value };
}

/** The fields `<field>` or `<field>Ref` of a payload, to be spread into an event or an answer. */
export function payloadFields<F extends string>(field: F, payload: Payload | undefined) {
  const fields =
    payload === undefined
      ? {}
      : 'ref' in payload
        ? { [`${field}Ref`]: payload.ref }
        : { [field]: payload.value };
  return fields as { [K in F]?: Json } & { [K in `${F}Ref`]?: Ref };
}

const FIELDS = [
  'input',
  'completion',
  'args',
  'result',
  'value',
  'content',
  'payload',
  'schema',
  'output',
  'messages',
  'values',
  'facts',
];

/** Where a payload may stand in an event: the holder and the field's name. */
export function payloadSlots(event: object): { holder: Record<string, unknown>; field: string }[] {
  const holder = event as Record<string, unknown>;
  const slots = FIELDS.map((field) => ({ holder, field }));
  if (typeof holder.outcome === 'object')
    slots.push({ holder: holder.outcome as Record<string, unknown>, field: 'value' });
  return slots.filter(
    (slot) => slot.holder[slot.field] !== undefined || slot.holder[`${slot.field}Ref`] !== undefined,
  );
}

/** Every payload in the blob store that an event names. */
export function refsOf(event: Event): Ref[] {
  return payloadSlots(event).flatMap(({ holder, field }) => {
    const ref = holder[`${field}Ref`];
    return ref === undefined ? [] : [ref as Ref];
  });
}
