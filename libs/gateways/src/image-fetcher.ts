import { SNIFFED_BYTES, sniffMediaType } from '@signalbox/domain/media/media-type';
import { Agent, request } from 'undici';
import { EndpointResolver } from './endpoint-resolver.ts';
import { guardedConnector } from './guarded-connector.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** An image, or a sentence that says why it cannot be used. */
export type FetchedImage = { bytes: Buffer; mimeType: string } | { problem: string };

/**
 * Fetches images at addresses that anybody may have chosen. It dials only public addresses, follows no redirect, and
 * takes JPEG and PNG of at most 5 MB; the content decides the type.
 */
export class ImageFetcher {
  private readonly resolver: EndpointResolver;
  private readonly agent: Agent;

  /** @param options.allowPrivate permits loopback and private networks */
  constructor({ allowPrivate }: { allowPrivate: boolean }) {
    this.resolver = new EndpointResolver({ allowPrivate });
    const { lookup } = this.resolver;
    const connect = guardedConnector({ allowPrivate, timeoutMs: CONNECT_TIMEOUT_MS, lookup });
    this.agent = new Agent({
      connect: (options, callback) => void connect(options, callback),
      maxResponseSize: MAX_BYTES,
    });
  }

  /** Never rejects. */
  async fetch(url: string): Promise<FetchedImage> {
    try {
      const { statusCode, body } = await request(url, {
        dispatcher: this.agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200) return { problem: `the image answers with status ${statusCode}` };
      const type = sniffMediaType(bytes.subarray(0, SNIFFED_BYTES));
      if (type?.kind !== 'IMAGE') return { problem: 'the image is neither JPEG nor PNG' };
      return { bytes, mimeType: type.mimeType };
    } catch (error) {
      return { problem: `the image cannot be fetched: ${(error as { code?: string }).code ?? 'no answer'}` };
    }
  }

  async close(): Promise<void> {
    this.resolver.close();
    await this.agent.destroy();
  }
}
