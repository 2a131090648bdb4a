import type { ChatHeader, MediaLink } from '@signalbox/domain/chat/message';
import { type LinkProblem, linkProblem } from '@signalbox/domain/links/link-url';
import type { Violation } from '@signalbox/domain/violation';
import { isForbiddenHost } from '@signalbox/gateways/address-guard';
import type { ChatMessageRequest } from './chat-message.dto.ts';

const MEDIA = ['image', 'video', 'document'] as const;
type Media = (typeof MEDIA)[number];

/**
 * What is wrong with the links of a message's files. They are for the provider to fetch, and never fetched here: one that leads into a
 * network of somebody's own could only be meant to find out about it. Links that are no text were told of already.
 */
export function checkLinks(request: ChatMessageRequest): Violation[] {
  const { components, interactive } = request;
  return [
    ...checkFiles(request, ''),
    ...checkFiles(components?.header, 'components.header.'),
    ...checkFiles((interactive as { header?: ChatHeader } | undefined)?.header, 'interactive.header.'),
  ];
}

function checkFiles(
  files: Partial<Record<Media, Partial<MediaLink>>> | undefined,
  path: string,
): Violation[] {
  return MEDIA.flatMap((media) => {
    const link = files?.[media]?.link;
    const problem = typeof link === 'string' ? mediaProblem(link, media) : undefined;
    return problem ? [{ field: `${path}${media}.link`, ...problem }] : [];
  });
}

function mediaProblem(link: string, media: Media): LinkProblem | undefined {
  const problem = linkProblem(link);
  if (problem) return problem;
  const url = new URL(link);
  if (isForbiddenHost(url, false))
    return { rule: 'link_forbidden', message: 'must lead to an address on the public internet' };
  if (media !== 'image' || /\.(jpe?g|png)$/i.test(url.pathname)) return undefined;
  return { rule: 'invalid_format', message: 'must end in .jpg, .jpeg or .png' };
}
