import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { answerWithError } from '../errors/error.filter.ts';
import { toApiError } from '../errors/to-api-error.ts';
import { GuessGuard } from './guess-guard.ts';
import { answerWithPage, wantsPage } from './missing-page.ts';
import type { ShortLinks } from './short-links.ts';

type LinkRequest = FastifyRequest<{ Params: { code: string } }>;

/**
 * Adds GET and HEAD /s/{code}, which phones follow without a key: 302 to the target, 404, or 429 after too many misses.
 * A browser gets these two as a page.
 */
export function addShortLinkRoutes(instance: FastifyInstance, links: ShortLinks): void {
  const guard = new GuessGuard();
  instance.get('/s/:code', async (request: LinkRequest, reply) => {
    reply.header('referrer-policy', 'no-referrer');
    try {
      await follow(links, guard, request, reply);
    } catch (error) {
      const answer = wantsPage(request.headers.accept) ? answerWithPage : answerWithError;
      answer(reply.header('vary', 'accept'), toApiError(error));
    }
    return reply;
  });
}

async function follow(
  links: ShortLinks,
  guard: GuessGuard,
  request: LinkRequest,
  reply: FastifyReply,
): Promise<void> {
  const target = await links.follow(request.params.code, signsOf(request));
  if (target === undefined) throw await missError(guard, request.ip);
  reply.code(302).header('location', target).send();
}

/**
 * Only misses are limited: known links redirect even from an address that many share, as behind a proxy that is not
 * trusted.
 */
async function missError(guard: GuessGuard, address: string): Promise<ApiError> {
  const retryAfterSeconds = await guard.secondsToWait(address);
  if (retryAfterSeconds === 0) {
    await guard.countMiss(address);
    return new ApiError('route_not_found');
  }
  return new ApiError('rate_limited', `Too many unknown links; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

function signsOf({ method, headers }: FastifyRequest) {
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-moz'];
  return { method, userAgent: headers['user-agent'], purpose: Array.isArray(purpose) ? purpose[0] : purpose };
}
