import type { CallbackFormat, CallbackRequest } from '@signalbox/gateways/callback-format';
import {
  type CallbackFormats,
  isGenuine,
  isSimulator,
} from '@signalbox/messaging/callbacks/callback-formats';
import type { CallbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthFailures } from '../auth/auth-failures.ts';
import { ApiError } from '../errors/api-error.ts';
import { answer } from '../http/answer.ts';

/** Maximum bytes of a callback. Meta sends webhooks of up to 3 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

type Call = FastifyRequest<{ Params: { gateway: string }; Body: Buffer | undefined }>;

/** Services of the routes of callbacks. */
export interface CallbackServices {
  intake: CallbackIntake;
  formats: CallbackFormats;
  failures: AuthFailures;
  /** Address at which gateways reach the API. Signatures of URLs are checked with it, never with the Host header. */
  publicUrl: string;
}

/**
 * Adds GET and POST /v1/callbacks/{gateway}, where gateways report on messages. A gateway has no API key: its format
 * verifies the request as received, so bodies are kept unparsed, whatever their type. A callback is answered once it is
 * stored. Wrong signatures are limited: whoever sends them cannot keep the gateway out, even from its address. Bodies of
 * more than 16 KiB share the bytes of their address, and those of all callers without an account.
 */
export function addCallbackRoutes(instance: FastifyInstance, services: CallbackServices): void {
  void instance.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.route<{ Params: Call['params']; Body: Call['body'] }>({
      method: ['GET', 'POST'],
      url: '/v1/callbacks/:gateway',
      exposeHeadRoute: false,
      bodyLimit: MAX_BYTES,
      handler: (call, reply) => take(services, call, reply),
    });
    registered();
  });
}

async function take(
  { intake, formats, failures, publicUrl }: CallbackServices,
  call: Call,
  reply: FastifyReply,
): Promise<unknown> {
  const { gateway } = call.params;
  const found = await formats.find(gateway);
  if (!found) throw new ApiError('route_not_found');
  const { format } = found;
  const request = toCallbackRequest(call, publicUrl);
  const challenge = format.challenge?.(request);
  if (challenge) return reply.code(challenge.status).type('text/plain; charset=utf-8').send(challenge.body);
  if (!isGenuine(found, request)) throw failures.refusal(call.ip, 'signature_invalid');
  await intake.receive(gateway, format.keep?.(request) ?? bytesOf(request));
  return isSimulator(gateway) ? answer(null, 'The callback was stored.') : sendAnswer(format, reply);
}

/** The answer that the vendor wants; 200 and no body by default. */
function sendAnswer({ answer: wanted }: CallbackFormat, reply: FastifyReply): FastifyReply {
  if (!wanted) return reply.code(200).send();
  return reply.code(wanted.status).type(wanted.contentType).send(wanted.body);
}

function toCallbackRequest({ method, raw, headers, body }: Call, publicUrl: string): CallbackRequest {
  const path = raw.url ?? '';
  const mark = path.indexOf('?');
  return {
    method: method === 'GET' ? 'GET' : 'POST',
    url: publicUrl + path,
    query: new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1)),
    headers,
    body: body ?? Buffer.alloc(0),
  };
}

/** The stored bytes: the body of a POST, the query string of a GET. */
function bytesOf({ method, url, body }: CallbackRequest): Buffer {
  if (method === 'POST') return body;
  const mark = url.indexOf('?');
  return Buffer.from(mark < 0 ? '' : url.slice(mark + 1));
}
