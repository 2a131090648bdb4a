import type { Readable } from 'node:stream';

/** Storage of uploaded files, each under the id of its row. media-store.conformance.ts tests the contract. */
export abstract class MediaStore {
  /**
   * Stores a file piece by piece as it arrives. Once it resolves, the file survives a power loss. If it fails, nothing
   * of the file remains.
   *
   * @throws the error of `content`, if that fails
   */
  abstract write(id: string, content: AsyncIterable<Buffer>): Promise<void>;

  /** Opens a finished file for reading, from a position on. @throws when there is none */
  abstract read(id: string, offset?: number): Promise<Readable>;

  /** Removes a file, finished or not. Removing a file that does not exist succeeds. */
  abstract remove(id: string): Promise<void>;
}
