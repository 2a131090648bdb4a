import type { CallbackFormat } from '@signalbox/gateways/callback-format';
import { callbackFormat } from '@signalbox/gateways/registry';
import type { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { answer } from '../http/answer.ts';
import { bodyHasCome } from '../http/body-timeout.ts';

type CallbackRequest = FastifyRequest<{ Params: { gateway: string }; Body: Buffer | undefined }>;

/** The secrets of each gateway, any of which signs. */
export type CallbackSecrets = ReadonlyMap<string, readonly string[]>;

/**
 * Adds POST /v1/callbacks/{gateway}, where providers tell of messages. A provider has no api key: it signs the bytes that it sends, so they are kept
 * as they are, of whatever type. The answer comes when the callback is on disk; it is read later, elsewhere.
 */
export function addCallbackRoutes(
  instance: FastifyInstance,
  intake: CallbackIntake,
  secrets: CallbackSecrets,
): void {
  void instance.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
      bodyHasCome(request.raw);
      done(null, body);
    });
    scope.post(
      '/v1/callbacks/:gateway',
      async ({ params: { gateway }, headers, body = Buffer.alloc(0) }: CallbackRequest) => {
        const format = callbackFormat(gateway);
        if (!format) throw new ApiError('route_not_found');
        if (!isSigned(format, secrets.get(gateway) ?? [], headers, body))
          throw new ApiError('signature_invalid');
        await intake.receive(gateway, body);
        return answer(null, 'The callback was taken.');
      },
    );
    registered();
  });
}

function isSigned(
  { verify }: CallbackFormat,
  secrets: readonly string[],
  headers: FastifyRequest['headers'],
  body: Buffer,
): boolean {
  return secrets.some((secret) => verify(headers, body, secret));
}
