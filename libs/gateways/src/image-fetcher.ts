import { SNIFFED_BYTES, sniffMediaType } from '@signalbox/domain/media/media-type';
import { Agent, request } from 'undici';
import type { Lookup } from './address-guard.ts';
import { EndpointResolver, type EndpointResolverOptions } from './endpoint-resolver.ts';
import { EndpointForbiddenError, guardedConnector } from './guarded-connector.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * An image, or a sentence that says why it cannot be used. The problem is final unless it may be one of the network or
 * of a server.
 */
export type FetchedImage = { bytes: Buffer; mimeType: string } | { problem: string; isFinal: boolean };

/**
 * Fetches images at addresses that anybody may have chosen. It dials only public addresses, follows no redirect, and
 * takes JPEG and PNG of at most 5 MB; the content decides the type.
 */
export class ImageFetcher {
  private readonly resolver: EndpointResolver;
  /** One for each image in progress: a connection is used once. */
  private readonly agents = new Set<Agent>();
  private isClosed = false;

  /** @param options.allowPrivate permits loopback and private networks */
  constructor(private readonly options: Pick<EndpointResolverOptions, 'allowPrivate' | 'servers'>) {
    this.resolver = new EndpointResolver(options);
  }

  /**
   * Fetches an image.
   *
   * @param accountId account whose lookups of names are limited together, so that they delay no other account
   * @throws once this is closed, which says nothing of the image
   */
  async fetch(url: string, accountId: string): Promise<FetchedImage> {
    if (this.isClosed) throw new Error('no image is fetched while the process ends');
    const agent = this.newAgent(accountId);
    this.agents.add(agent);
    try {
      const { statusCode, body } = await request(url, {
        dispatcher: agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200)
        return { problem: `the image answers with status ${statusCode}`, isFinal: isFinalStatus(statusCode) };
      const type = sniffMediaType(bytes.subarray(0, SNIFFED_BYTES));
      if (type?.kind !== 'IMAGE') return { problem: 'the image is neither JPEG nor PNG', isFinal: true };
      return { bytes, mimeType: type.mimeType };
    } catch (error) {
      if (this.isClosed) throw error;
      const { code } = error as { code?: string };
      return {
        problem: `the image cannot be fetched: ${code ?? 'no answer'}`,
        isFinal: error instanceof EndpointForbiddenError || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
      };
    } finally {
      this.agents.delete(agent);
      await agent.destroy();
    }
  }

  /** Ends the fetches in progress. Later ones fail immediately. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.resolver.close();
    await Promise.all([...this.agents].map((agent) => agent.destroy()));
  }

  private newAgent(accountId: string): Agent {
    const { allowPrivate } = this.options;
    const lookup: Lookup = (name) => this.resolver.lookup(name, accountId);
    const connect = guardedConnector({ allowPrivate, timeoutMs: CONNECT_TIMEOUT_MS, lookup });
    return new Agent({
      connect: (options, callback) => void connect(options, callback),
      maxResponseSize: MAX_BYTES,
    });
  }
}

/** False for a status that says nothing of the image: its server fails, is too slow, or limits its callers. */
function isFinalStatus(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429;
}
