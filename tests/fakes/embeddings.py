"""A deterministic local embedder: hashed words, so that shared words mean closeness."""

import hashlib
import re

from langchain_core.embeddings import Embeddings

DIMENSIONS = 64


class WordEmbeddings(Embeddings):
    """Lexical, not semantic, which is all a test of plumbing needs. Vectors are never negative."""

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        vector = [0.001] * DIMENSIONS
        for word in re.findall(r"\w+", text.lower()):
            digest = hashlib.blake2b(word.encode(), digest_size=2).digest()
            vector[int.from_bytes(digest, "big") % DIMENSIONS] += 1.0
        length = sum(part * part for part in vector) ** 0.5
        return [part / length for part in vector]
