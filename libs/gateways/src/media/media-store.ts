/** Where uploaded files are kept, each under the id of its row. */
export abstract class MediaStore {
  /**
   * Stores a file as it comes, a piece at a time. When it resolves, the file is safe from a loss of power; when it fails,
   * for instance because `content` does, nothing of it is left.
   */
  abstract write(id: string, content: AsyncIterable<Buffer>): Promise<void>;

  /** Removes a file, finished or not; one that is not there is no fault. */
  abstract remove(id: string): Promise<void>;
}
