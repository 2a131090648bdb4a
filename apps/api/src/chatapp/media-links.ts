import { type LinkProblem, linkProblem } from '@signalbox/domain/links/link-url';
import { FILE_KINDS, type FileKind } from '@signalbox/domain/media/file-kind';
import type { Violation } from '@signalbox/domain/violation';
import { isForbiddenHost } from '@signalbox/gateways/address-guard';

/** Members of a message or a header that hold a file. */
type Files = { readonly [Kind in FileKind]?: { readonly link: string } | undefined };

/**
 * Checks the links of a message or a header. The chat-app provider fetches them, never this process; a link into a
 * private network could only serve to explore it.
 *
 * @param path prefix of the field names in violations
 */
export function checkLinks(files: Files | undefined, path: string): Violation[] {
  return FILE_KINDS.flatMap((kind) => {
    const link = files?.[kind]?.link;
    const problem = link === undefined ? undefined : fileProblem(link, kind);
    return problem ? [{ field: `${path}${kind}.link`, ...problem }] : [];
  });
}

function fileProblem(link: string, kind: FileKind): LinkProblem | undefined {
  const problem = linkProblem(link);
  if (problem) return problem;
  const url = new URL(link);
  if (isForbiddenHost(url, false))
    return { rule: 'link_forbidden', message: 'must lead to an address on the public internet' };
  if (kind !== 'image' || /\.(jpe?g|png)$/i.test(url.pathname)) return undefined;
  return { rule: 'invalid_format', message: 'must end in .jpg, .jpeg or .png' };
}
