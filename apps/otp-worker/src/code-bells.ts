import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import type { Bell } from '@signalbox/runtime/bell';

/** Rings the lanes that codes go out by, one of each channel. */
export class CodeBells {
  constructor(private readonly byChannel: Record<NewSubmission['channel'], Bell>) {}

  /** Rings for submissions of codes that are stored. */
  ring(submissions: readonly NewSubmission[]): void {
    for (const { channel, id } of submissions) this.byChannel[channel].ring([id]);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.byChannel).map((bell) => bell.close()));
  }
}
