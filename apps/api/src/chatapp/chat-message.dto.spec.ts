import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../errors/api-error.ts';
import { RequestPipe } from '../http/request-pipe.ts';
import { CHAT_BODIES } from './chat.examples.ts';
import { ChatMessageRequest } from './chat-message.dto.ts';

const pipe = new RequestPipe();

/** The request that a body is read as, or the violations of its refusal. */
function read(body: object): object {
  try {
    return pipe.transform(body, { type: 'body', metatype: ChatMessageRequest }) as ChatMessageRequest;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') return error.details;
    throw error;
  }
}

/** Every place of a body, as a path of names. */
function placesOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([name, member]) => placesOf(member).map((place) => [name, ...place])),
  ];
}

function replace(body: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value;
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) }) as Record<
    string,
    unknown
  >;
  copy[name] = replace(copy[name], rest, value);
  return copy;
}

const PLACES = Object.values(CHAT_BODIES).flatMap((body) =>
  placesOf(body)
    .filter((place) => place.length > 0)
    .map((place) => ({ body, place })),
);

test('any value at any place of a body is read, or reported with its place', () => {
  const known = fc.constantFrom(
    ...Object.values(CHAT_BODIES).flatMap((body) => Object.values(body) as unknown[]),
  );
  const value = fc.oneof(
    fc.constantFrom(null, undefined, '', ' ', 0, true, [], {}, [null], [[]], { type: 'list' }),
    fc.jsonValue(),
    known,
  );
  const change = fc.tuple(fc.constantFrom(...PLACES), value);
  fc.assert(
    fc.property(change, fc.array(value, { maxLength: 2 }), ([{ body, place }, first], more) => {
      const broken = more.reduce(
        (changed, next) => replace(changed, place.slice(0, 2), next),
        replace(body, place, first),
      );
      const result = read(broken as object);
      if (!Array.isArray(result)) return expect(result).toBeInstanceOf(ChatMessageRequest);
      expect(result.length).toBeGreaterThan(0);
      for (const fault of result)
        expect(fault).toEqual({
          field: expect.any(String),
          rule: expect.any(String),
          message: expect.any(String),
        });
      expect(
        new Set(result.map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`)).size,
      ).toBe(result.length);
    }),
    { numRuns: 3_000 },
  );
});

test('unknown fields are dropped at every depth', () => {
  const body = {
    ...CHAT_BODIES['Reply buttons'],
    interactive: replace(
      CHAT_BODIES['Reply buttons'].interactive,
      ['action', 'buttons', '0', 'reply', 'colour'],
      'red',
    ) as object,
    image: { link: 'x' },
  };

  expect(JSON.stringify(read(body))).not.toMatch(/colour|"image":\{"link":"x"/);
});
