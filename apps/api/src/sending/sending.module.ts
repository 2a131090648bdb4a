import { Module } from '@nestjs/common';
import { SubmissionIntake } from './submission-intake.ts';
import { SubmissionsService } from './submissions.service.ts';

/** Submissions of every channel: acceptance, progress and cancellation. */
@Module({
  providers: [SubmissionIntake, SubmissionsService],
  exports: [SubmissionIntake, SubmissionsService],
})
export class SendingModule {}
