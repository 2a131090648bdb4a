import { type LinkProblem, linkProblem } from '@signalbox/domain/links/link-url';
import type { Violation } from '@signalbox/domain/violation';
import { isForbiddenHost } from '@signalbox/gateways/address-guard';

const MEDIA = ['image', 'video', 'document'] as const;
type Media = (typeof MEDIA)[number];

/** Members of a message or a header that hold a file. */
type Files = { readonly [Kind in Media]?: { readonly link: string } | undefined };

/**
 * Checks the links of a message or a header. The chat-app provider fetches them, never this process; a link into a
 * private network could only serve to explore it.
 *
 * @param path prefix of the field names in violations
 */
export function checkLinks(files: Files | undefined, path: string): Violation[] {
  return MEDIA.flatMap((media) => {
    const link = files?.[media]?.link;
    const problem = link === undefined ? undefined : mediaProblem(link, media);
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
