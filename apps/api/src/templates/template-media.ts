import { useMedia } from '@signalbox/database/templates/media';
import type { TemplateComponent } from '@signalbox/domain/templates/template';
import type { Violation } from '@signalbox/domain/violation';
import type { EntityManager } from 'typeorm';
import { ApiError, invalidRequest } from '../errors/api-error.ts';

/** A handle, and the header that uses it. */
interface UsedHandle {
  handle: string;
  format: string;
  field: string;
}

/**
 * Marks the files of a template as used, so that they do not expire.
 *
 * @param before the components before an edit, whose files are marked already
 * @throws ApiError media_not_found for an unknown or expired handle; invalid_request for a file of another kind
 */
export async function keepMedia(
  db: EntityManager,
  accountId: string,
  components: readonly TemplateComponent[],
  before: readonly TemplateComponent[] = [],
): Promise<void> {
  const known = new Set(handlesOf(before).map(({ handle, format }) => `${format} ${handle}`));
  const fresh = handlesOf(components).filter(({ handle, format }) => !known.has(`${format} ${handle}`));
  if (fresh.length === 0) return;
  const handles = fresh.map(({ handle }) => handle);
  const kinds = await useMedia(db, accountId, handles);
  if (fresh.some(({ handle }) => !kinds.has(handle))) throw new ApiError('media_not_found');
  const broken = fresh.filter(({ handle, format }) => kinds.get(handle) !== format).map(ofAnotherKind);
  if (broken.length > 0) throw invalidRequest(broken);
}

function handlesOf(components: readonly TemplateComponent[]): UsedHandle[] {
  return components.flatMap(({ format = '', example }, i) =>
    (format === 'TEXT' ? [] : (example?.header_handle ?? [])).map((handle, j) => ({
      handle,
      format,
      field: `components[${i}].example.header_handle[${j}]`,
    })),
  );
}

function ofAnotherKind({ field, format }: UsedHandle): Violation {
  return {
    field,
    rule: 'media_kind',
    message: `must be the handle of a file for a header of format ${format}`,
  };
}
