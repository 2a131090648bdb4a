import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type NamedMedia, listMedia } from '@signalbox/database/templates/media';
import { type DueRegistration, keepClaim } from '@signalbox/database/templates/registrations';
import type { CloudTemplates, TemplateOutcome } from '@signalbox/gateways/cloud-api/cloud-templates';
import { sampleFiles } from '@signalbox/gateways/cloud-api/template-request';
import type { SampleFile } from '@signalbox/gateways/cloud-api/upload';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import { EntityManager } from 'typeorm';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
};

/** The store does not give the file. Another template does not wait for it. */
const UNREADABLE = {
  result: 'later',
  reason: 'A file that the template shows cannot be read now',
} as const;

/** Starts after which an image that cannot be fetched for now rejects its template: about a day. */
const MAX_IMAGE_STARTS = 30;

/** Seconds for one file: an image is fetched in at most half a minute, and a file is uploaded in at most seven. */
const FILE_LEASE_SECONDS = 480;

/** The lease of the template ended, and another worker claimed it. */
export type Lost = { result: 'lost' };

type OpenedFile = { result: 'ok'; file: SampleFile };

/** Uploads the files that a template shows to its provider. */
@Injectable()
export class SampleFiles {
  constructor(
    private readonly db: EntityManager,
    private readonly store: MediaStore,
    private readonly images: ImageFetcher,
  ) {}

  /**
   * Uploads the file of the header and the images of the cards, one after the other: of all images, one is in memory.
   * Extends the claim of the template before each, and stops when it is lost.
   *
   * @returns their handles at the provider, by the keys by which the template names them
   */
  async upload(
    due: DueRegistration,
    provider: CloudTemplates,
  ): Promise<TemplateOutcome<{ result: 'ok'; handles: ReadonlyMap<string, string> } | Lost>> {
    const { header, links } = sampleFiles(due.components);
    const [media] = header === undefined ? [] : await listMedia(this.db, due.accountId, [header]);
    if (header !== undefined && !media)
      return { result: 'refused', reason: 'The file of the header is no longer stored: upload it again.' };
    const handles = new Map<string, string>();
    for (const key of [...(media ? [media.handle] : []), ...links]) {
      if (!(await keepClaim(this.db, due, FILE_LEASE_SECONDS))) return { result: 'lost' };
      const open = async () => (key === media?.handle ? this.stored(media) : this.image(key, due));
      const uploaded = await provider.upload(open).catch(() => UNREADABLE);
      if (uploaded.result !== 'ok') return uploaded;
      handles.set(key, uploaded.handle);
    }
    return { result: 'ok', handles };
  }

  private stored(media: NamedMedia): OpenedFile {
    return { result: 'ok', file: toFile(media, (offset) => this.store.read(media.id, offset)) };
  }

  private async image(
    url: string,
    { accountId, starts }: DueRegistration,
  ): Promise<TemplateOutcome<OpenedFile>> {
    const image = await this.images.fetch(url, accountId);
    if ('problem' in image)
      return {
        result: image.isFinal || starts > MAX_IMAGE_STARTS ? 'refused' : 'later',
        reason: `A card of the carousel: ${image.problem}.`,
      };
    const { bytes, mimeType } = image;
    const open = async (offset: number): Promise<Readable> => Readable.from([bytes.subarray(offset)]);
    return { result: 'ok', file: toFile({ mimeType, sizeBytes: bytes.length }, open) };
  }
}

function toFile(
  { mimeType, sizeBytes }: { mimeType: string; sizeBytes: number },
  open: SampleFile['open'],
): SampleFile {
  return { name: `${randomUUID()}.${EXTENSIONS[mimeType] ?? 'bin'}`, mimeType, sizeBytes, open };
}
