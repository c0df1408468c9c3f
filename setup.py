"""What pyproject.toml cannot say: the folder `assets` of the checkout is a part of the package."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["qa_demo*"]), "qa_demo.assets"],
    package_dir={"qa_demo.assets": "assets"},
    package_data={"qa_demo": ["py.typed"], "qa_demo.assets": ["**/*"]},
)
