"""Running out of memory: how it is recognised, and how memory is freed."""

# What torch's allocators say, or a GPU library that could not get its share. They have no class of their own.
MESSAGES = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED")


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that a GPU or the machine ran out of memory."""
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(text in str(error) for text in MESSAGES)


def release_memory() -> None:
    """Frees what the GPU's allocator keeps for later, where torch was imported already."""
    import gc
    import sys

    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
