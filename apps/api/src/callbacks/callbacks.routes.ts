import { simulatorCallbacks } from '@signalbox/gateways/registry';
import type { CallbackIntake } from '@signalbox/messaging/callback-intake';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { answer } from '../http/answer.ts';
import { bodyArrived } from '../http/body-timeout.ts';

type CallbackRequest = FastifyRequest<{ Params: { gateway: string }; Body: Buffer | undefined }>;

/** Secrets by gateway; any of them may sign. */
export type CallbackSecrets = ReadonlyMap<string, readonly string[]>;

/**
 * Adds POST /v1/callbacks/{gateway}, where gateways report on messages. A gateway has no API key: it signs
 * the bytes of the body, so they are stored unparsed, whatever their type. A callback is answered once it is
 * stored, and parsed later by a worker.
 */
export function addCallbackRoutes(
  instance: FastifyInstance,
  intake: CallbackIntake,
  secrets: CallbackSecrets,
): void {
  void instance.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
      bodyArrived(request.raw);
      done(null, body);
    });
    scope.post(
      '/v1/callbacks/:gateway',
      async ({ params: { gateway }, headers, url, body = Buffer.alloc(0) }: CallbackRequest) => {
        const format = simulatorCallbacks(gateway, secrets.get(gateway) ?? []);
        if (!format) throw new ApiError('route_not_found');
        const request = { method: 'POST' as const, url, query: new URLSearchParams(), headers, body };
        if (!format.verify(request)) throw new ApiError('signature_invalid');
        await intake.receive(gateway, body);
        return answer(null, 'The callback was taken.');
      },
    );
    registered();
  });
}
