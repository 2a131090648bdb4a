/** The decorators of class-transformer, which the library exposes nowhere else. */
declare module 'class-transformer/cjs/storage.js' {
  import type { TransformFnParams, TypeOptions } from 'class-transformer';

  export const defaultMetadataStorage: {
    findTypeMetadata(
      target: Function,
      property: string,
    ): { typeFunction: () => Function; options: TypeOptions } | undefined;
    /** @param transformationType 0 is plain to class */
    findTransformMetadatas(
      target: Function,
      property: string,
      transformationType: 0,
    ): { transformFn(params: TransformFnParams): unknown }[];
  };
}
