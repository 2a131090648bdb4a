import {
  BadRequestException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { expect, test } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { ApiError, invalidRequest } from './api-error.ts';
import { errorBody, retryAfterSeconds } from './error-body.ts';
import { ERRORS } from './error-codes.ts';
import { toApiError } from './to-api-error.ts';

test('an ApiError is answered unchanged', () => {
  const error = new ApiError('otp_expired', 'The code has expired.');

  expect(toApiError(error)).toBe(error);
});

test.each([
  [new BadRequestException(['a', 'b']), 'invalid_request'],
  [new HttpException('teapot', 418), 'invalid_request'],
  [new HttpException('gone missing', 404), 'route_not_found'],
  [new ServiceUnavailableException(), 'unavailable'],
  [new InternalServerErrorException(), 'internal_error'],
  [new HttpException('bad gateway', 502), 'internal_error'],
])('an exception of Nest is answered by its status alone', (exception, code) => {
  const error = toApiError(exception);

  expect(error.code).toBe(code);
  expect(error.message).not.toContain(exception.message);
  expect(error.cause).toBe(exception);
});

test('the refusal of an unknown content type names the types that are read', () => {
  expect(toApiError(new HttpException('type', 415))).toMatchObject({
    code: 'unsupported_media_type',
    message: expect.stringContaining('`Content-Type: application/json`'),
  });
});

test('the status of an upstream error is not our status', () => {
  const upstream = Object.assign(new Error('Forbidden by the store'), { statusCode: 403 });

  expect(toApiError(upstream).code).toBe('internal_error');
});

test('an aborted body is no outage of a store', () => {
  const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

  expect(toApiError(aborted).code).toBe('unavailable');
  expect(toApiError(Object.assign(aborted, { statusCode: 400 })).code).toBe('invalid_request');
});

test.each([
  ['22003', 'invalid_request'],
  ['54000', 'invalid_request'],
  ['23505', 'internal_error'],
  ['22', 'internal_error'],
])('an error of Postgres with the SQLSTATE %s is %s', (state, code) => {
  const refused = new QueryFailedError('SELECT', [], Object.assign(new Error('refused'), { code: state }));

  expect(toApiError(refused)).toMatchObject({ code, cause: refused });
});

test.each([undefined, null, 'text', 42, {}])('anything else thrown is a bug', (thrown) => {
  expect(toApiError(thrown)).toMatchObject({ code: 'internal_error', message: ERRORS.internal_error.title });
});

test('an invalid request has the message of its first violation and lists at most 100', () => {
  const error = invalidRequest(
    Array.from({ length: 500 }, (_, i) => ({
      field: `to[${i}]`,
      rule: 'invalid_format',
      message: 'must be a phone number',
    })),
  );

  expect(error.message).toBe('to[0] must be a phone number');
  expect(error.details).toHaveLength(100);
});

test('the body holds the public members of an error only', () => {
  const error = new ApiError('otp_incorrect', 'Wrong.', {
    extra: { attemptsRemaining: 2 },
    cause: new Error('SELECT'),
  });

  expect(errorBody(error, 'r1')).toEqual({
    id: null,
    data: null,
    message: 'Wrong.',
    error: {
      code: 'otp_incorrect',
      message: 'Wrong.',
      retryable: false,
      docs: '/docs/errors#otp_incorrect',
      requestId: 'r1',
      attemptsRemaining: 2,
      details: [],
    },
  });
});

test('every 429 and 503 has Retry-After, at least one second', () => {
  expect(retryAfterSeconds(new ApiError('unavailable'))).toBe(1);
  expect(retryAfterSeconds(new ApiError('otp_send_limit'))).toBe(1);
  expect(retryAfterSeconds(new ApiError('rate_limited', 'x', { retryAfterSeconds: 0.01 }))).toBe(1);
  expect(retryAfterSeconds(new ApiError('rate_limited', 'x', { retryAfterSeconds: 29.2 }))).toBe(30);
  expect(retryAfterSeconds(new ApiError('invalid_request'))).toBeUndefined();
});
